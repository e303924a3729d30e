"""No secret of a run is found anywhere afterwards: files, logs, answers, exports, core dumps."""

from __future__ import annotations

import base64
import signal
from pathlib import Path

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.patience import PATIENCE
from tests.real.e2e.processes import TIDINGS, environment, finished
from tests.real.e2e.served import Served, served

OWNER = "owners-own-token-0123456789-abcdefghij"
WRONG = "tdg_1_" + "W" * 32


def _forms(secret: str) -> list[bytes]:
    """How a secret may stand in a file: as it is, encoded, or the part that must be guessed."""
    plain = secret.encode()
    parts = [plain, plain.hex().encode(), base64.b64encode(plain)[:-4]]
    return [*parts, secret.split("_", 2)[2].encode()] if secret.startswith("tdg_") else parts


def _use(service: Served, told: list[str]) -> list[str]:
    """Create tokens and show them in every way, right and wrong; the secrets of all that."""
    with service.client(OWNER) as owner:
        both = {"to": "ann", "verbs": ["publish", "subscribe"], "channels": ["roads"]}
        for path, body in (
            ("/v1/principals", {"name": "root"}),
            ("/v1/principals", {"name": "ann"}),
            ("/v1/channels", {"name": "roads"}),
            ("/v1/grants", {"to": "root", "verbs": ["administer"]}),
            ("/v1/grants", both),
        ):
            assert owner.post(path, json=body).is_success
        ann, old = [owner.post("/v1/principals/ann/tokens", json={}).json() for _ in range(2)]
        root = owner.post("/v1/principals/root/tokens", json={}).json()
        told.append(owner.delete(f"/v1/credentials/{old['credential']}").text)
    for token in (ann["token"], old["token"], root["token"], WRONG, OWNER + "x", "x" * 100_000):
        with service.client(token) as client:
            paths = ("channels", "credentials", "nothing", f"channels?token={token[:99]}")
            told.extend(client.get(f"/v1/{path}").text for path in paths)
            told.append(client.post("/v1/channels/roads/events", content="{" + token).text)
        _open_socket(service, token)
    return [OWNER, WRONG, ann["token"], old["token"], root["token"]]


def _open_socket(service: Served, token: str) -> None:
    url = service.url.replace("http", "ws", 1) + "/v1/ws"
    try:
        offered = ["tidings.v1", f"tidings.token.{token[:999]}"]
        with connect(url, subprotocols=offered, open_timeout=PATIENCE):  # type: ignore[arg-type]
            pass
    except InvalidStatus:
        pass


def test_no_secret_is_left_anywhere(tmp_path: Path) -> None:
    token_file = tmp_path / "owner.token"
    token_file.write_text(OWNER)
    folder, told = tmp_path / "run", list[str]()
    options = ("--token-file", str(token_file), "--log-level", "4")
    with served(folder, *options, before="ulimit -c unlimited") as service:
        secrets = _use(service, told)
        where = ("--url", service.url, "--token-file", str(token_file))
        exported = finished([*TIDINGS, "export", *where], environment())
        assert exported.returncode == 0, exported.stderr
        told.append((exported.stdout + exported.stderr).decode())
        commands = Path(f"/proc/{service.process.pid}/cmdline").read_bytes()
        assert service.end(signal.SIGTERM) == 0
    with served(folder, *options, before="ulimit -c unlimited") as service:
        with service.client(secrets[2]) as ann:
            assert ann.get("/v1/channels").status_code == 200
        assert service.end(signal.SIGABRT) == -signal.SIGABRT  # dumps core, where it may
    found = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert not [path for path in found if path.name.startswith("core")]
    places = {**found, Path("answers"): "\n".join(told).encode(), Path("arguments"): commands}
    for secret in secrets:
        for form in _forms(secret):
            assert [str(path) for path, text in places.items() if form in text] == [], secret[:9]
