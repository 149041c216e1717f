"""Questions of lint rules about schemas and their fields."""
