// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/pcm_sim: each open file can have one card, which goes when the file is
 * closed and so are the card's own files.
 *
 * Lifetimes: the page of traces belongs to struct sim_file, and the card's
 * operations write to it until the last of the card's files is closed: so the
 * memory of both is freed by the card (its private_free), or by close() where
 * there never was one. A mapping holds its own reference to the page.
 *
 * Locks: sim_file.lock (process context) covers the card's making and moving;
 * pcm->open_mutex is taken under it.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "card.h"

struct sim_file {
	struct mutex lock; /* card: made once, moved by one at a time */
	struct sim_card *card;
	struct pcm_sim_trace *trace; /* one page */
};

static void sim_file_free(struct sim_file *file)
{
	free_page((unsigned long)file->trace);
	kfree(file);
}

static void sim_card_free(struct snd_card *card)
{
	sim_file_free(((struct sim_card *)card->private_data)->owner);
}

static int sim_file_open(struct inode *inode, struct file *filp)
{
	struct sim_file *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return -ENOMEM;
	file->trace = (void *)get_zeroed_page(GFP_KERNEL);
	if (!file->trace) {
		kfree(file);
		return -ENOMEM;
	}
	mutex_init(&file->lock);
	filp->private_data = file;
	return 0;
}

static int sim_file_release(struct inode *inode, struct file *filp)
{
	struct sim_file *file = filp->private_data;

	if (file->card)
		snd_card_free_when_closed(file->card->card);
	else
		sim_file_free(file);
	return 0;
}

static struct miscdevice sim_misc;

static int sim_create(struct sim_file *file, const struct pcm_sim_request *req)
{
	struct sim_card *card;

	if (file->card)
		return -EBUSY;
	if (req->value <= 0 || req->value >= 1 << PCM_SIM_DEVICES)
		return -EINVAL;
	card = sim_card_new(sim_misc.this_device, req->value, file->trace);
	if (IS_ERR(card))
		return PTR_ERR(card);
	card->owner = file;
	card->card->private_free = sim_card_free;
	file->card = card;
	return card->card->number;
}

static long sim_look_user(struct sim_file *file, struct pcm_sim_look __user *arg)
{
	struct pcm_sim_look look;
	int ret;

	if (copy_from_user(&look, arg, sizeof(look)))
		return -EFAULT;
	mutex_lock(&file->lock);
	ret = file->card ? sim_card_look(file->card, &look) : -ENODEV;
	mutex_unlock(&file->lock);
	if (!ret && copy_to_user(arg, &look, sizeof(look)))
		ret = -EFAULT;
	return ret;
}

static long sim_take_user(struct sim_file *file, const struct pcm_sim_take __user *arg)
{
	struct pcm_sim_take take;
	int ret;

	if (copy_from_user(&take, arg, sizeof(take)))
		return -EFAULT;
	mutex_lock(&file->lock);
	ret = file->card ? sim_card_take(file->card, &take) : -ENODEV;
	mutex_unlock(&file->lock);
	return ret;
}

static long sim_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct sim_file *file = filp->private_data;
	struct pcm_sim_request req = {};
	long ret;

	if (cmd == PCM_SIM_LOOK)
		return sim_look_user(file, (void __user *)arg);
	if (cmd == PCM_SIM_TAKE)
		return sim_take_user(file, (void __user *)arg);
	if (_IOC_SIZE(cmd) &&
	    copy_from_user(&req, (void __user *)arg, sizeof(req)))
		return -EFAULT;
	mutex_lock(&file->lock);
	if (cmd == PCM_SIM_CREATE)
		ret = sim_create(file, &req);
	else if (!file->card)
		ret = -ENODEV;
	else
		ret = sim_card_move(file->card, cmd, &req);
	mutex_unlock(&file->lock);
	return ret;
}

static int sim_file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct sim_file *file = filp->private_data;

	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return vm_insert_page(vma, vma->vm_start, virt_to_page(file->trace));
}

static const struct file_operations sim_fops = {
	.owner = THIS_MODULE,
	.open = sim_file_open,
	.release = sim_file_release,
	.unlocked_ioctl = sim_file_ioctl,
	.mmap = sim_file_mmap,
	.llseek = noop_llseek,
};

static struct miscdevice sim_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pcm_sim",
	.fops = &sim_fops,
	.mode = 0600,
};

static int __init sim_init(void)
{
	BUILD_BUG_ON(sizeof(struct pcm_sim_trace) * PCM_SIM_STREAMS > PAGE_SIZE);
	return misc_register(&sim_misc);
}

static void __exit sim_exit(void)
{
	misc_deregister(&sim_misc);
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("A sound card without a clock");
MODULE_AUTHOR("The shortpath authors");
MODULE_LICENSE("GPL");
