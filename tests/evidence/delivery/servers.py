"""Servers on 127.0.0.1 that confirm heads: a timestamp authority (OpenSSL's ``ts``) and a witness (C2SP)."""

from __future__ import annotations

import subprocess
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from rori_spiders.evidence.checkpoints import parse_checkpoint
from rori_spiders.evidence.signed_notes import (
    COSIGNATURE,
    NoteSignature,
    VerifierKey,
    parse_note,
    render_cosigned_message,
)
from tests.evidence.export.test_fact_proofs import roots_by_consistency

if TYPE_CHECKING:
    from pathlib import Path
    from ssl import SSLContext

_CONFIG = """\
[tsa]
dir = {folder}
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ess_cert_id_alg = sha256
"""


class Answering:
    """A server; ``posts`` has the paths and bodies that it was sent. While *status* is set it answers that alone.

    ``promised``: bytes that it says to send with what it is asked for, and does not.
    """

    def __init__(self, tls: SSLContext | None = None) -> None:
        self.posts: list[tuple[str, bytes, dict[str, str]]] = []
        self.status: int | None = None
        self.promised = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                server.posts.append((self.path, body, {name.lower(): value for name, value in self.headers.items()}))
                status, answer = (server.status, b"no\n") if server.status else server.answer(body)
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def do_GET(self) -> None:
                status, answer = server.read(self.path)
                self.send_response(status)
                self.send_header("content-length", str(len(answer) + server.promised))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._server.server_port}"

    def read(self, path: str) -> tuple[int, bytes]:
        return 404, f"nothing at {path}\n".encode()

    def answer(self, body: bytes) -> tuple[int, bytes]:
        return 200, b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Authority(Answering):
    """A timestamp authority with a certificate authority of its own, whose certificate is ``ca.pem``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = folder / "ca.pem"
        _issue_certificates(folder)
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder))
        super().__init__()

    def answer(self, body: bytes) -> tuple[int, bytes]:
        (self.folder / "query").write_bytes(body)
        command = ["openssl", "ts", "-reply", "-queryfile", "query", "-config", "tsa.cnf", "-section", "tsa"]
        done = subprocess.run([*command, "-out", "reply"], cwd=self.folder, capture_output=True, check=False)
        return (200, (self.folder / "reply").read_bytes()) if done.returncode == 0 else (500, done.stderr)


def _issue_certificates(folder: Path) -> None:
    ca_key, key, now = (
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP256R1()),
        datetime.now(UTC),
    )
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test CA")])

    def certificate(name: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder(issuer_name=ca_name, subject_name=name, public_key=public_key)
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=9))

    own = certificate(ca_name, ca_key.public_key()).add_extension(x509.BasicConstraints(True, None), critical=True)
    stamps = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test TSA")])
    issued = certificate(name, key.public_key()).add_extension(stamps, critical=True)
    for file, one in (("ca.pem", own), ("tsa.pem", issued)):
        signed = one.sign(ca_key, hashes.SHA256())
        (folder / file).write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    pkcs8, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "tsa.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, pkcs8, plain))


class Witness(Answering):
    """Cosigns a head that continues the one it has seen, after the rules of tlog-witness."""

    def __init__(self, *known: VerifierKey) -> None:
        self.private_key = Ed25519PrivateKey.generate()
        self.key = VerifierKey("witness.example", self.private_key.public_key().public_bytes_raw(), COSIGNATURE)
        self.known = known
        self.size, self.root = 0, b""
        super().__init__()

    @property
    def word(self) -> str:
        """What RORI_EVIDENCE_HEADS names it by."""
        return f"witness+{self.url}/#{self.key}"

    def answer(self, body: bytes) -> tuple[int, bytes]:
        first, _, written = body.decode().partition("\n\n")
        old, *proof = first.split("\n")
        note = parse_note(written)
        head = parse_checkpoint(note.text)
        if not any(note.is_signed_by(key) for key in self.known):
            return 403, b"unknown key\n"
        if int(old.removeprefix("old ")) != self.size:
            return 409, f"{self.size}\n".encode()
        if self.size and self.size != head.size:
            path = [b64decode(node) for node in proof]
            if roots_by_consistency(self.size, head.size, self.root, path) != (self.root, head.root):
                return 422, b"inconsistent\n"
        self.size, self.root = head.size, head.root
        time_s = 1_790_000_000
        signature = self.private_key.sign(render_cosigned_message(note.text, time_s))
        line = NoteSignature(self.key.name, self.key.key_id, time_s.to_bytes(8, "big") + signature)
        return 200, f"{line}\n".encode()
