/**
 * Makes tabs of a `tablist` (WAI-ARIA Authoring Practices): arrow keys, Home and End choose among
 * them, and the address names the chosen one: `#login`, `#phone-number/…`. `shown` has functions by
 * the panels' ids; each is told whether its panel can be seen.
 */
export function tabs(list, shown) {
  const all = [...list.querySelectorAll('[role="tab"]')]
  const idOf = (tab) => tab.getAttribute('aria-controls')
  const chosen = () => all.find((tab) => tab.getAttribute('aria-selected') === 'true')
  /** What the address said when a tab was left. */
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

  // Other fragments are places on the page, and choose nothing.
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
