/* SPDX-License-Identifier: GPL-2.0-only */
/* File descriptors of this process, as /proc shows them. */
#ifndef SHORTPATH_FDS_H
#define SHORTPATH_FDS_H

#include <stdbool.h>
#include <stddef.h>

/* How many this process has open. */
int fd_count(void);
/* One more: what open() would return now. */
int fd_next(void);
/* Raise (or lower) the soft limit, and the hard one where needed. */
void fd_limit(unsigned long n);

/* The value of KEY in /proc/self/fdinfo/FD; false when there is no such. */
bool fdinfo_str(int fd, const char *key, char *buf, size_t size);
long long fdinfo_num(int fd, const char *key);
/* Wait until KEY is at least (or exactly) VALUE. */
bool fdinfo_reaches(int fd, const char *key, long long value);

/* Send FD through the connected unix socket SOCK, and receive one. */
void fd_send(int sock, int fd);
int fd_recv(int sock);

#endif /* SHORTPATH_FDS_H */
