"""Who may do what: principals, grants, credentials and limits. A core without I/O."""
