"""A TCP relay between a client and a server that counts the bytes that it hands on."""

import contextlib
import socket
import threading


class CountingRelay:
    """Listens on a free port of 127.0.0.1; ends with the process, or by `close`."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self._server = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._to_client = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def target(self):
        return f"grpc://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def to_client(self):
        """Bytes from the server to its clients so far."""
        with self._lock:
            return self._to_client

    def close(self):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                threading.Thread(target=self._copy, args=(client, server, False), daemon=True).start()
                threading.Thread(target=self._copy, args=(server, client, True), daemon=True).start()

    def _copy(self, source, sink, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                with self._lock:
                    self._to_client += len(data) if counts else 0
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
