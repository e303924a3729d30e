/* Calls that change the names in folders. A part of shim.c. */

static int do_rename(int old_at, const char *old, int new_at, const char *new, unsigned flags)
{
    char from[PATH_MAX], to[PATH_MAX];
    bool inside = place_of(old_at, old, from);
    inside |= place_of(new_at, new, to);
    if (!inside)
        return (int)syscall(SYS_renameat2, old_at, old, new_at, new, flags);
    take();
    int failed = (int)syscall(SYS_renameat2, old_at, old, new_at, new, flags);
    if (!failed)
        put_record(head_of(flags & RENAME_EXCHANGE ? UNSEEN : RENAME, NULL), from, to);
    give();
    return failed;
}

static int do_link(int old_at, const char *old, int new_at, const char *new, int flags)
{
    char from[PATH_MAX], to[PATH_MAX];
    bool inside = place_of(new_at, new, to);
    place_of(old_at, old, from);
    if (!inside)
        return (int)syscall(SYS_linkat, old_at, old, new_at, new, flags);
    take();
    int failed = (int)syscall(SYS_linkat, old_at, old, new_at, new, flags);
    if (!failed)
        put_record(head_of(LINK, NULL), from, to);
    give();
    return failed;
}

static int do_unlink(int at, const char *path, int flags)
{
    char place[PATH_MAX];
    if (!place_of(at, path, place))
        return (int)syscall(SYS_unlinkat, at, path, flags);
    take();
    int failed = (int)syscall(SYS_unlinkat, at, path, flags);
    if (!failed)
        put_record(head_of(flags & AT_REMOVEDIR ? RMDIR : UNLINK, NULL), place, NULL);
    give();
    return failed;
}

static int do_mkdir(int at, const char *path, mode_t mode)
{
    char place[PATH_MAX];
    if (!place_of(at, path, place))
        return (int)syscall(SYS_mkdirat, at, path, mode);
    take();
    int failed = (int)syscall(SYS_mkdirat, at, path, mode);
    if (!failed)
        put_record(head_of(MKDIR, NULL), place, NULL);
    give();
    return failed;
}
