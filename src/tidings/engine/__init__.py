"""The engine: asyncio around the core; the one place where core, disk and clients meet."""
