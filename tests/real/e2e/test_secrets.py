"""No secret of a run is found anywhere afterwards: files, logs, answers, exports, core dumps."""

from __future__ import annotations

import base64
import signal
import subprocess
from pathlib import Path

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.patience import PATIENCE
from tests.real.e2e.processes import TIDINGS, environment, finished
from tests.real.e2e.served import Served, served

OWNER = "owners-own-token-0123456789-abcdefghij"
WRONG = "tdg_1_" + "W" * 32
PASSWORD = "a-password-0123456789-abcdefghij"
NEXT_PASSWORD = "another-password-0123456789-abcd"
WRONG_PASSWORD = "a-wrong-password-0123456789-abcd"


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


def _log_in(service: Served, told: list[str], folder: Path) -> list[str]:
    """Set passwords, log in by them in every way, right and wrong; the secrets of all that."""
    path, cookies = "/v1/principals/eve/password", list[str]()
    with service.client(OWNER) as owner:
        assert owner.post("/v1/principals", json={"name": "eve"}).is_success
        told.append(owner.put(path, json={"password": PASSWORD}).text)
        told.append(owner.put(path, json={"password": PASSWORD, "extra": PASSWORD}).text)
        told.append(owner.put(path, json={"password": [PASSWORD]}).text)
        told.append(owner.put(path, content="{" + PASSWORD).text)
    login, origin = {"name": "eve", "password": PASSWORD}, {"Origin": service.url}
    with service.client() as eve:
        tries = (login, {**login, "password": WRONG_PASSWORD}, {**login, "token": PASSWORD})
        told.extend(eve.post("/v1/login", json=asked).text for asked in tries)
        cookies.append(eve.cookies["tidings"])
        told.append(eve.get("/").text)
        told.append(eve.get("/docs/api").text)
        body = {"password": NEXT_PASSWORD, "old": PASSWORD}
        told.append(eve.put(path, json={**body, "old": WRONG_PASSWORD}, headers=origin).text)
        told.append(eve.put(path, json=body, headers=origin).text)
        wrong = {**login, "password": WRONG_PASSWORD}
        told.append(eve.post("/v1/login", json=wrong, headers=origin).text)
        right = {**login, "password": NEXT_PASSWORD}
        told.append(eve.post("/v1/login", json=right, headers=origin).text)
        cookies.append(eve.cookies["tidings"])
        told.append(eve.get("/v1/whoami").text)
    env = {**environment(), "TIDINGS_CONTEXTS": str(folder / "contexts.json")}
    file = folder / "eve.token"
    words = ["login", "eve", "--url", service.url, "--into", str(file), "--password-stdin"]
    for given in (WRONG_PASSWORD, NEXT_PASSWORD):
        ran = subprocess.run(
            [*TIDINGS, *words], input=given.encode(), env=env, capture_output=True, check=False
        )
        told.append((ran.stdout + ran.stderr).decode())
    return [PASSWORD, NEXT_PASSWORD, WRONG_PASSWORD, *cookies, file.read_text().splitlines()[0]]


def _open_socket(service: Served, token: str) -> None:
    url = service.url.replace("http", "ws", 1) + "/v1/ws"
    try:
        offered = ["tidings.v1", f"tidings.token.{token[:999]}"]
        with connect(url, subprotocols=offered, open_timeout=PATIENCE):  # type: ignore[arg-type]
            pass
    except InvalidStatus:
        pass


def test_no_core_file_is_written(tmp_path: Path) -> None:
    with served(tmp_path, before="ulimit -c unlimited") as service:
        limits = Path(f"/proc/{service.process.pid}/limits").read_text()
    (cores,) = [line for line in limits.splitlines() if line.startswith("Max core file size")]
    assert cores.split()[4] == "0"


def test_no_secret_is_left_anywhere(tmp_path: Path) -> None:
    token_file = tmp_path / "owner.token"
    token_file.write_text(OWNER)
    folder, told = tmp_path / "run", list[str]()
    recovering = ("--recover-access", "root")
    options = ("--token-file", str(token_file), "--log-level", "4")
    with served(folder, *options, before="ulimit -c unlimited") as service:
        of_people = _log_in(service, told, tmp_path)
        secrets = [*_use(service, told), *of_people]
        where = ("--url", service.url, "--token-file", str(token_file))
        exported = finished([*TIDINGS, "export", *where], environment())
        assert exported.returncode == 0, exported.stderr
        told.append((exported.stdout + exported.stderr).decode())
        commands = Path(f"/proc/{service.process.pid}/cmdline").read_bytes()
        assert service.end(signal.SIGTERM) == 0
    with served(folder, *options, *recovering, before="ulimit -c unlimited") as service:
        with service.client(secrets[2]) as ann:
            assert ann.get("/v1/channels").status_code == 200
        secrets.append((folder / "data" / "recovered-root.token").read_text().strip())
        (folder / "data" / "recovered-root.token").unlink()
        assert service.end(signal.SIGABRT) == -signal.SIGABRT  # dumps core, where it may
    found = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert not [path for path in found if path.name.startswith("core")]
    places = {**found, Path("answers"): "\n".join(told).encode(), Path("arguments"): commands}
    for secret in secrets:
        for form in _forms(secret):
            assert [str(path) for path, text in places.items() if form in text] == [], secret[:9]
