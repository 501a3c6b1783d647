/**
 * Turns a `tablist` into tabs (WAI-ARIA Authoring Practices): arrow keys, Home and End move between
 * them, and the URL fragment names the selected one: `#login`, `#phone-number/…`. `shown` maps
 * panel ids to functions that take whether their panel is visible.
 */
export function tabs(list, shown) {
  const all = [...list.querySelectorAll('[role="tab"]')]
  const idOf = (tab) => tab.getAttribute('aria-controls')
  const chosen = () => all.find((tab) => tab.getAttribute('aria-selected') === 'true')
  /** The URL fragment of each tab when it was left. */
  const fragments = new Map()

  const choose = (tab) => {
    for (const other of all) {
      const selected = other === tab
      other.setAttribute('aria-selected', String(selected))
      other.tabIndex = selected ? 0 : -1
      document.getElementById(idOf(other)).hidden = !selected
      shown[idOf(other)]?.(selected)
    }
  }

  const go = (tab) => {
    const before = chosen()
    if (tab === before) return
    fragments.set(before, location.hash)
    const [first] = all
    const fragment = fragments.get(tab) ?? (tab === first ? '' : `#${idOf(tab)}`)
    history.replaceState(null, '', fragment || location.pathname)
    choose(tab)
  }

  // Other fragments are places on the page and select no tab.
  const named = () => all.find((tab) => location.hash.slice(1).split('/')[0] === idOf(tab))

  list.addEventListener('click', ({ target }) => {
    const tab = target.closest('[role="tab"]')
    if (tab) go(tab)
  })
  list.addEventListener('keydown', (event) => {
    const at = all.indexOf(chosen())
    const next = {
      ArrowRight: (at + 1) % all.length,
      ArrowLeft: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key]
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    go(all[next])
    all[next].focus()
  })
  addEventListener('hashchange', () => {
    const tab = named()
    if (tab && tab !== chosen()) choose(tab)
  })
  choose(named() ?? chosen())
}
