"""For the tests of what is reached over HTTP: a proxy on loopback."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress


class Proxy:
    """A proxy on loopback, for plain HTTP and for tunnels, that knows one name: every host is this machine."""

    def __init__(self, wants: str | None = None) -> None:
        self.wants = wants
        self.lines: list[str] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), client:
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(65536)
            line = head.partition(b"\r\n")[0].decode()
            self.lines.append(line)
            if self.wants is not None and self.wants.encode() not in head:
                client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                return
            method, target, _ = line.split()
            port = int(target.rpartition(":")[2].partition("/")[0])
            with socket.create_connection(("127.0.0.1", port)) as server:
                if method == "CONNECT":
                    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    server.sendall(head)
                self._pump(client, server)

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        ends = {client: server, server: client}
        while True:
            for ready in select.select(list(ends), [], [])[0]:
                data = ready.recv(65536)
                if not data:
                    return
                ends[ready].sendall(data)

    def stop(self) -> None:
        """Wake the thread before the close: else it takes the next connection of whoever gets that descriptor."""
        self.listening.shutdown(socket.SHUT_RDWR)
        self.accepting.join()
        self.listening.close()
