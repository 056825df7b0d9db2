package io.github.bandwise.saba;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A stream without encryption, over a Unix socket or TCP. */
final class ChannelStream implements Stream {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;

    /** Connects before a deadline. */
    ChannelStream(Endpoint endpoint, long end) throws IOException {
        boolean isUnix = endpoint instanceof Endpoint.Unix;
        selector = Selector.open();
        channel = isUnix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
        try {
            channel.configureBlocking(false);
            if (!isUnix) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            key = channel.register(selector, 0);
            if (!channel.connect(endpoint.address())) {
                await(SelectionKey.OP_CONNECT, end);
                channel.finishConnect();
            }
        } catch (IOException | RuntimeException fault) {
            close();
            throw fault;
        }
    }

    private void await(int what, long end) throws IOException {
        key.interestOps(what);
        if (selector.select(Stream.left(end)) == 0) {
            throw Stream.late();
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void write(byte[] bytes, long end) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            if (channel.write(left) == 0) {
                await(SelectionKey.OP_WRITE, end);
            }
        }
    }

    @Override
    public int read(ByteBuffer to, long end) throws IOException {
        int read = channel.read(to);
        while (read == 0) {
            await(SelectionKey.OP_READ, end);
            read = channel.read(to);
        }
        return read;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
