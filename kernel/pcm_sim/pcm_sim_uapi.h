/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What a test program shares with pcm_sim: /dev/pcm_sim.
 *
 * Each open file can have one sound card, made by PCM_SIM_CREATE, gone with the
 * last close. Its PCM devices each have one playback and one capture stream,
 * whose hardware pointer moves only when told to.
 */
#ifndef PCM_SIM_UAPI_H
#define PCM_SIM_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* The natures of the PCM devices, and their device numbers. */
enum pcm_sim_device {
	PCM_SIM_PLAIN,		/* no ack */
	PCM_SIM_ACK,		/* ack */
	PCM_SIM_APPLPTR,	/* ack, SYNC_APPLPTR and NO_REWINDS, as USB has it */
	PCM_SIM_NONATOMIC,	/* ack, a mutex in place of the spinlock */
	PCM_SIM_EXPLICIT,	/* ack, EXPLICIT_SYNC */
	PCM_SIM_DEVICES
};

#define PCM_SIM_STREAMS	(PCM_SIM_DEVICES * 2)

/*
 * What the core asked of a stream's driver: a page of these, one for each
 * device and direction (device * 2 + stream), is mapped from /dev/pcm_sim. The
 * module only adds to them; whoever maps them may reset them.
 */
struct pcm_sim_trace {
	__u64 hash;		/* over all operations and their circumstances */
	__u32 operations;
	__u32 acks;
	__u32 pointers;
	__u32 triggers;
	__u64 last_ack;		/* appl_ptr at the last ack */
	__u64 reserved[4];
};

/* Which stream, and what of it. */
struct pcm_sim_request {
	__u32 device;
	__u32 stream;
	__s32 value;
	__u32 flags;
};

/* A stream as the core has it, whether or not its pages can be mapped. */
struct pcm_sim_look {
	struct pcm_sim_request which;
	__u64 hw_ptr;
	__u64 appl_ptr;
	__u64 avail_min;
	__u64 boundary;
	__s64 tstamp[2];
	__s64 audio_tstamp[2];
	__s32 state;
	__s32 suspended_state;
};

/* Take SIZE bytes of a stream's buffer to the address TO. */
struct pcm_sim_take {
	struct pcm_sim_request which;
	__u64 to;
	__u64 size;
};

/* PCM_SIM_ADVANCE: flags */
#define PCM_SIM_ELAPSED	1	/* with a period interrupt */

/* value: devices to have, as bits. Returns the card's number. */
#define PCM_SIM_CREATE		_IOW('S', 0, struct pcm_sim_request)
/* The hardware pointer moves by VALUE frames. */
#define PCM_SIM_ADVANCE		_IOW('S', 1, struct pcm_sim_request)
/* From now on, ack returns VALUE: 0 or a negative errno. */
#define PCM_SIM_ACK_RESULT	_IOW('S', 2, struct pcm_sim_request)
/* The hardware reports an xrun when it is next asked for its pointer. */
#define PCM_SIM_XRUN		_IOW('S', 3, struct pcm_sim_request)
/* What a driver's suspend does to the device's streams; the card stays up. */
#define PCM_SIM_SUSPEND		_IOW('S', 4, struct pcm_sim_request)
/* The card's power state becomes VALUE: 0 on, else off. */
#define PCM_SIM_POWER		_IOW('S', 5, struct pcm_sim_request)
/* The device alone goes; open files stay as they are. */
#define PCM_SIM_DISCONNECT	_IOW('S', 6, struct pcm_sim_request)
/* What the core keeps of a stream, whoever may map it. */
#define PCM_SIM_LOOK		_IOWR('S', 8, struct pcm_sim_look)
/* What a program has played, or what it is to capture. */
#define PCM_SIM_TAKE		_IOW('S', 9, struct pcm_sim_take)
/* The card goes, as when it is unplugged. */
#define PCM_SIM_UNPLUG		_IO('S', 7)

#endif
