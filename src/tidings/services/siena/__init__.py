"""A content-based event service after SIENA: notifications of attributes, filters, a network."""
