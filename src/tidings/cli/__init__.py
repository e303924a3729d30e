"""Words to verbs: the `tidings` command. It asks the layers below and decides nothing itself."""
