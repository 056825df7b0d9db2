"""Answers requests as soon as a file is there.

    holds.py PORT FILE
"""

import asyncio
import os
import sys


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    while not os.path.exists(sys.argv[2]):
        await asyncio.sleep(0.02)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n")
    await writer.drain()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "0.0.0.0", int(sys.argv[1]))
    print("listening", flush=True)
    await server.serve_forever()


asyncio.run(main())
