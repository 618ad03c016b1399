# SPDX-License-Identifier: Apache-2.0
"""Keys and certificates for tests, made by openssl: NAME.key and NAME.crt in a folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
CONFIGURATION = """[ca]
default_ca = d
[d]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = p
[p]
commonName = supplied
"""


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def make(folder: Path, name: str, *options: str, subject: str = "") -> None:
    """Its own CA, for thirty days."""
    words = ["req", "-x509", *KEY, "-days", "30", "-subj", f"/CN={subject or name}"]
    openssl(folder, *words, "-keyout", f"{name}.key", "-out", f"{name}.crt", *options)


def make_signed(folder: Path, name: str, *extensions: str, authority: str = "ca", subject: str = "") -> None:
    """extensions: such as subjectAltName=DNS:localhost."""
    words = ["-CA", f"{authority}.crt", "-CAkey", f"{authority}.key"]
    for extension in ("basicConstraints=critical,CA:false", *extensions):
        words += ["-addext", extension]
    make(folder, name, *words, subject=subject)


def make_expired(folder: Path, name: str, authority: str = "ca") -> None:
    """Of 2020; `openssl ca` alone takes dates."""
    (folder / "index").write_text("")
    (folder / "ca.conf").write_text(CONFIGURATION)
    openssl(folder, "req", "-new", *KEY, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    words = ["ca", "-batch", "-config", "ca.conf", "-cert", f"{authority}.crt", "-keyfile", f"{authority}.key"]
    dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
    openssl(folder, *words, "-in", f"{name}.csr", "-out", f"{name}.crt", "-notext", *dates)
