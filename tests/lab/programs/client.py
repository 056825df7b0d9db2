"""Requests a page several times at once: 20 times with asyncio, else 4 times.

    client.py asyncio|threads|fork|spawn|forkserver ADDRESS PORT
"""

import asyncio
import concurrent.futures
import multiprocessing
import sys
import urllib.request


async def requests(address: str, port: str) -> list[str]:
    async def one() -> str:
        reader, writer = await asyncio.open_connection(address, int(port))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer.decode()

    return await asyncio.gather(*(one() for _ in range(20)))


def request(url: str) -> str:
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def main(how: str, address: str, port: str) -> None:
    urls = [f"http://{address}:{port}/"] * 4
    if how == "asyncio":
        print(asyncio.run(requests(address, port)))
    elif how == "threads":
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            print(list(pool.map(request, urls)))
    else:
        with multiprocessing.get_context(how).Pool(4) as pool:
            print(pool.map(request, urls, 1))


if __name__ == "__main__":
    main(*sys.argv[1:])
