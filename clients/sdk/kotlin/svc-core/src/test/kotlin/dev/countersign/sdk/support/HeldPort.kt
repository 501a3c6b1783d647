package dev.countersign.sdk.support

import java.net.InetSocketAddress
import java.net.Socket

/**
 * A reserved loopback port with a socket bound to it. The socket does not listen, so connections are refused
 * until a server that reuses addresses listens on the port.
 */
class HeldPort : AutoCloseable {
    private val socket = Socket().apply {
        reuseAddress = true
        bind(InetSocketAddress("127.0.0.1", 0))
    }

    val address = "127.0.0.1:${socket.localPort}"

    override fun close() = socket.close()
}
