// SPDX-License-Identifier: GPL-2.0-only
/*
 * Say hello to a service of a remote processor and print what it answers.
 *
 *   cc -I include/uapi -o rpmsg-echo docs/examples/rpmsg-echo.c
 *   ./rpmsg-echo /dev/rpmsg_ctrl0 1024
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/rpmsg.h>

/* An endpoint fd on control device @path, to remote address @dst, or -1. */
static int endpoint(const char *path, __u32 dst)
{
	struct rpmsg_endpoint_fd_info info = {
		.name = "hello",
		.src = RPMSG_ADDR_ANY,
		.dst = dst,
		.flags = O_RDWR | O_CLOEXEC,
	};
	int ctrl = open(path, O_RDWR | O_CLOEXEC);
	int ret;

	if (ctrl < 0) {
		perror(path);
		return -1;
	}
	ret = ioctl(ctrl, RPMSG_CREATE_EPT_FD_IOCTL, &info);
	if (ret < 0) {
		/* With valid flags EINVAL has one meaning: no such ioctl. */
		if (errno == EINVAL)
			fprintf(stderr, "this kernel lacks the ioctl\n");
		else
			perror("RPMSG_CREATE_EPT_FD_IOCTL");
	}
	/* The endpoint does not need the control device any more. */
	close(ctrl);
	if (ret < 0)
		return -1;

	printf("our address is %u\n", info.src);
	return info.fd;
}

int main(int argc, char **argv)
{
	static const char hello[] = "hello";
	char answer[512];
	ssize_t len;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: rpmsg-echo CONTROL-DEVICE ADDRESS\n");
		return 2;
	}
	fd = endpoint(argv[1], strtoul(argv[2], NULL, 0));
	if (fd < 0)
		return 1;

	if (write(fd, hello, strlen(hello)) < 0) {
		perror("write");
		return 1;
	}
	len = read(fd, answer, sizeof(answer));
	if (len < 0) {
		perror("read");
		return 1;
	}
	printf("it answers: %.*s\n", (int)len, answer);

	/* Closing is all there is to do: the endpoint goes with the fd. */
	close(fd);
	return 0;
}
