"""ClickHouse's HTTP interface over the engine that the package chdb-core carries.

Arguments: folder of the data, port, password of the user `default`. The engine is ClickHouse
itself, in this process; users, the HTTP protocol and ids of queries are of this file, as
ClickHouse's manual describes them.
"""
import base64
import json
import os
import re
import sys
import tempfile
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote_to_bytes, urlsplit

from chdb import _chdb

DATA, PORT, PASSWORD = sys.argv[1], int(sys.argv[2]), sys.argv[3]
#: Members of a URL that are no settings.
RESERVED = {
    "query", "database", "query_id", "default_format", "user", "password", "wait_end_of_query",
    "buffer_size", "compress", "decompress", "quota_key", "session_id", "session_check", "role",
}
STATUS = {"62": 400, "60": 404, "81": 404, "46": 404, "516": 403, "497": 403, "164": 500, "159": 408}
#: Settings of the server only, which the engine alone does not act on.
READS = r"[\s(]*(SELECT|WITH)\b"
KEEP = _chdb.connect(DATA)
LOCK = threading.Lock()


def literal(value: bytes) -> str:
    """A string of SQL with every byte that is not plain as an escape."""
    return "'" + "".join(
        chr(b) if 32 <= b < 127 and b not in (39, 92) else "\\x%02x" % b for b in value
    ) + "'"


class Fault(Exception):
    """An error of the engine, by its number."""

    def __init__(self, text: str):
        super().__init__(text)
        found = re.search(r"Code: (\d+)", text)
        self.code = found.group(1) if found else "1000"
        text = re.sub(r"\(version [^)]*\)\. ", "", text)
        self.text = text if text.startswith("Code:") else f"Code: {self.code}. DB::Exception: {text}"
        self.text += " (version 26.9.2.1 (official build))\n"


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        if urlsplit(self.path).path == "/ping":
            return self.reply(200, b"Ok.\n")
        self.serve(b"", readonly=True)

    def do_POST(self):
        self.serve(self.read_body(), readonly=False)

    def read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def serve(self, body: bytes, readonly: bool):
        pairs = [p.partition("=") for p in urlsplit(self.path).query.split("&") if p]
        members = {unquote_to_bytes(n.replace("+", " ")).decode(): unquote_to_bytes(v.replace("+", " ")) for n, _, v in pairs}
        self.query_id = members.get("query_id", b"").decode() or str(uuid.uuid4())
        connection = None
        try:
            self.log_in(members)
            with LOCK:
                connection = _chdb.connect(DATA)
            self.run(connection, members, body, readonly)
        except Fault as fault:
            self.refuse(fault)
        except RuntimeError as error:
            self.refuse(Fault(str(error)))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            if connection is not None:
                connection.close()

    def log_in(self, members):
        user = self.headers.get("X-ClickHouse-User")
        key = self.headers.get("X-ClickHouse-Key", "")
        given = self.headers.get("Authorization", "")
        if given.startswith("Basic "):
            user, _, key = base64.b64decode(given[6:]).decode().partition(":")
        user = user or members.get("user", b"default").decode()
        key = key or members.get("password", b"").decode()
        if user != "default" or key != PASSWORD:
            raise Fault(
                f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, "
                "or there is no user with such name. (AUTHENTICATION_FAILED)"
            )

    def run(self, connection, members, body, readonly):
        # The engine gives queries ids of its own; this one is found again by KILL QUERY.
        settings = [f"log_comment={literal(self.query_id.encode())}"]
        for name, value in members.items():
            if name not in RESERVED and re.fullmatch(r"\w+", name):
                settings.append(f"{name}={literal(value)}")
        database = members.get("database") or self.headers.get("X-ClickHouse-Database", "").encode()
        if database:
            connection.query("USE `" + database.decode().replace("\\", "\\\\").replace("`", "\\`") + "`", "Null")
        if readonly and "readonly" not in members:
            settings.append("readonly=2")
        connection.query("SET " + ", ".join(settings), "Null")
        form = members.get("default_format", self.headers.get("X-ClickHouse-Format", "TabSeparated").encode()).decode()
        statement = members.get("query", b"")
        if re.search(rb"^\s*INSERT\b.*\bFORMAT\s+\w+\s*$", statement, re.I | re.S):
            return self.insert(connection, statement.decode(), body)
        text = (statement + (b"\n" if statement and body else b"") + body).decode()
        if re.match(r"\s*KILL\s", text, re.I):
            text = re.sub(r"\bquery_id\s*=", "Settings['log_comment'] =", text)
        if re.match(READS, text, re.I):
            whole = members.get("wait_end_of_query") == b"1"
            return self.stream(connection, text, form, float("inf") if whole else int(members.get("buffer_size", b"1048576")))
        started = time.monotonic_ns()
        result = connection.query(text, form)
        self.reply(200, bytes(result.bytes()), form, self.summary(result, started))

    def insert(self, connection, statement, body):
        started = time.monotonic_ns()
        form = statement.split()[-1]
        with tempfile.NamedTemporaryFile() as file:
            file.write(body)
            file.flush()
            statement = re.sub(r"(\s+FORMAT\s+\w+\s*)$", f" FROM INFILE '{file.name}'\\1", statement, flags=re.I)
            try:
                result = connection.query(statement, form)
            except RuntimeError as error:
                raise RuntimeError(re.sub(r"\(in file/uri \S+\): While executing File: ", "", str(error))) from error
        self.reply(200, b"", form, self.summary(result, started))

    def summary(self, result, started):
        written = result.rows_written()
        return json.dumps({
            "read_rows": str(result.storage_rows_read()), "read_bytes": str(result.storage_bytes_read()),
            "written_rows": str(written), "written_bytes": str(result.bytes_written()),
            "total_rows_to_read": "0", "result_rows": str(result.rows_read()),
            "result_bytes": str(result.bytes_read()), "elapsed_ns": str(time.monotonic_ns() - started),
        })

    def stream(self, connection, text, form, buffered):
        """Sends at once what stays below the buffer, and anything larger while it comes."""
        started = time.monotonic_ns()
        result = connection.send_query(text, form)
        self.head = b""
        pieces, length, last = [], 0, None
        while length <= buffered:
            latest = self.next_piece(connection, result)
            piece = self.text_of(latest, form)
            if not latest.bytes():
                return self.reply(200, b"".join(pieces), form, self.summary(last or latest, started))
            pieces.append(piece)
            length += len(piece)
            last = latest
        piece = b"".join(pieces)
        tag = uuid.uuid4().hex[:16]
        self.send_response(200)
        self.heads(form)
        self.send_header("X-ClickHouse-Exception-Tag", tag)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            latest = True
            while latest:
                for at in range(0, len(piece), 65536):
                    self.chunk(piece[at:at + 65536])
                latest = self.next_piece(connection, result)
                piece = self.text_of(latest, form)
                latest = latest.bytes()
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except RuntimeError as error:
            text = Fault(str(error)).text.encode()
            self.chunk(b"\r\n__exception__\r\n%b\r\n%b%d %b\r\n__exception__\r\n" % (tag.encode(), text, len(text), tag.encode()))
            self.close_connection = True
        except (BrokenPipeError, ConnectionResetError):
            connection.streaming_cancel_query(result)
            raise

    def next_piece(self, connection, result):
        piece = connection.streaming_fetch_result(result)
        if piece.has_error():
            raise RuntimeError(piece.error_message())
        return piece

    def text_of(self, piece, form):
        """What the engine wrote, without the names and types that it begins every piece with."""
        text = bytes(piece.bytes())
        lines = 2 if form.endswith("WithNamesAndTypes") else 1 if form.endswith("WithNames") else 0
        if lines == 0 or not text:
            return text
        head = b"".join(line + b"\n" for line in text.split(b"\n", lines)[:lines])
        if self.head == head:
            return text[len(head):]
        self.head = head
        return text

    def chunk(self, piece):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.flush()

    def heads(self, form):
        self.send_header("Content-Type", "application/json; charset=UTF-8" if "JSON" in form else "text/plain; charset=UTF-8")
        self.send_header("X-ClickHouse-Query-Id", self.query_id)
        self.send_header("X-ClickHouse-Format", form)
        self.send_header("X-ClickHouse-Timezone", "UTC")
        self.send_header("Keep-Alive", "timeout=30")
        self.send_header("Connection", "close" if self.close_connection else "Keep-Alive")

    def refuse(self, fault):
        self.query_id = getattr(self, "query_id", "")
        self.reply(STATUS.get(fault.code, 500), fault.text.encode(), code=fault.code)

    def reply(self, status, body, form="TabSeparated", summary=None, code=None):
        self.query_id = getattr(self, "query_id", "")
        self.send_response(status)
        self.heads(form)
        if summary:
            self.send_header("X-ClickHouse-Summary", summary)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


if __name__ == "__main__":
    server = Server(("127.0.0.1", PORT), Handler)
    print("Ready", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    # The engine's own end can wait for threads of queries that nobody waits for.
    os._exit(0)
