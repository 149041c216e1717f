"""The manual: one page for each rule and each defect."""
