"""Events as octets and back: typed JSON, CloudEvents, Arrow. No files, no sockets."""
