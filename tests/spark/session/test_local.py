"""The settings with which a local session starts Java."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from babelreg.spark.session import local
from babelreg.spark.session.java import Java


def test_the_log_settings_given_to_java_exist(tmp_path):
    settings = local._launch_settings(Java(tmp_path, 21, "JAVA_HOME", tmp_path), (), debug=False)
    url = re.search(r"-Dlog4j2\.configurationFile=(\S+)", settings["SPARK_SUBMIT_OPTS"])
    assert url is not None
    assert Path(unquote(urlsplit(url[1]).path)).is_file()
