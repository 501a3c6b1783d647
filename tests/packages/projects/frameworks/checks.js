// Shows elements with what frameworks write and assign, with the script before them or, after #late, long after.

export const LOGIN = { appKey: 'cs_app_x', service: 'http://127.0.0.1:9' }
export const TEXTS = { scan: 'Scan me' }

/** Mounts a page, and says when both are there. */
export async function around(mount) {
  const load = () => import('@countersign/widget')
  if (location.hash !== '#late') await load()
  await mount()
  if (location.hash === '#late') {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    await load()
  }
  document.documentElement.dataset.ready = ''
}
