/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernels from 6.1 to 7.3 differ for this module. Kbuild looks into
 * the kernel's headers and sets SIM_HAVE_*; the versions below say what to
 * expect, and what can be dropped when older kernels are.
 */
#ifndef SIM_COMPAT_H
#define SIM_COMPAT_H

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

/*
 * virtio_config_ops.find_vqs takes one array of struct virtqueue_info from 6.11
 * ("virtio: rename find_vqs_info() op to find_vqs()"), three parallel arrays
 * before. virtio_dev.c is written for the former; SIM_FIND_VQS(fn) names the
 * function to put into the ops, once SIM_DEFINE_FIND_VQS(fn) stands after fn.
 */
#define SIM_CHECK_FIND_VQS(_fn)						\
	static_assert(__same_type(&(_fn),				\
				  ((struct virtio_config_ops *)0)->find_vqs))

#ifdef SIM_HAVE_VIRTQUEUE_INFO

#define SIM_FIND_VQS(_fn) _fn
#define SIM_DEFINE_FIND_VQS(_fn) SIM_CHECK_FIND_VQS(_fn)

#else

struct virtqueue_info {
	const char *name;
	vq_callback_t *callback;
};

#define SIM_FIND_VQS(_fn) _fn##_arrays
#define SIM_DEFINE_FIND_VQS(_fn)					\
static int _fn##_arrays(struct virtio_device *vdev, unsigned int nvqs,	\
			struct virtqueue *vqs[],			\
			vq_callback_t *callbacks[],			\
			const char * const names[], const bool *ctx,	\
			struct irq_affinity *desc)			\
{									\
	struct virtqueue_info info[2] = {};				\
	unsigned int i;							\
									\
	for (i = 0; i < nvqs && i < ARRAY_SIZE(info); i++) {		\
		info[i].name = names[i];				\
		info[i].callback = callbacks[i];			\
	}								\
	return _fn(vdev, nvqs, vqs, info, desc);			\
}									\
SIM_CHECK_FIND_VQS(_fn##_arrays)

#endif

/*
 * hrtimer_setup() came with 6.13 ("hrtimers: Introduce hrtimer_setup() to
 * replace hrtimer_init()"); 6.15 took hrtimer_init() away.
 */
static inline void sim_timer_setup(struct hrtimer *timer,
				   enum hrtimer_restart (*fn)(struct hrtimer *))
{
#ifdef SIM_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = fn;
#endif
}

/*
 * The other side is software on the same CPUs, so caches are coherent,
 * whatever the architecture assumes of a device that no firmware describes.
 * Otherwise dma_alloc_coherent() would hand the bus driver an uncached alias
 * of memory that we reach through the cached one.
 */
static inline void sim_set_coherent(struct device *dev)
{
#if defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_DEVICE) || \
	defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_CPU) || \
	defined(CONFIG_ARCH_HAS_SYNC_DMA_FOR_CPU_ALL)
	dev->dma_coherent = true;
#endif
}

#endif
