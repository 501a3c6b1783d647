/** Finds an element that the page must have. */
export function found<Kind extends HTMLElement>(selector: string, place: ParentNode = document): Kind {
  const element = place.querySelector<Kind>(selector)
  if (!element) throw new Error(`the page has no ${selector}`)
  return element
}

/** Returns a sentence that the service wrote into the page. */
export function sentence(name: string): string {
  return found<HTMLTemplateElement>('#texts').content.querySelector(`[data-text="${name}"]`)?.textContent ?? ''
}

/** Returns a copy of a part that the page has once for each kind. */
export function copyOf(name: string): HTMLElement {
  const part = found<HTMLTemplateElement>('#parts').content.querySelector<HTMLElement>(`[data-part="${name}"]`)
  if (!part) throw new Error(`the page has no part ${name}`)
  return part.cloneNode(true) as HTMLElement
}

/** Sets a text only if it differs, so that screen readers do not repeat it. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** Fills a field of each scene. */
export function fill(name: string, text: string): void {
  for (const element of document.querySelectorAll<HTMLElement>(`[data-field="${name}"]`)) say(element, text)
}

/** Fills a field of each scene with digits, which screen readers read one by one. */
export function fillDigits(name: string, digits: string): void {
  fill(name, digits)
  for (const element of document.querySelectorAll(`[data-field="${name}"]`)) element.setAttribute('aria-label', [...digits].join(' '))
}

/**
 * Shows one scene from its top, and moves the focus to its title. All scenes lie one over the other, so that the page has one height. What
 * is not shown is invisible, also to screen readers.
 */
export function showScene(scene: string): void {
  const main = found('main')
  const isNew = main.dataset['shown'] !== scene
  main.dataset['shown'] = scene
  for (const section of document.querySelectorAll<HTMLElement>('[data-scene]')) {
    section.classList.toggle('off', section.dataset['scene'] !== scene)
  }
  if (!isNew) return
  scrollTo(0, 0)
  found(`[data-scene="${scene}"] h1`).focus({ preventScroll: true })
}

/** Makes the button of each scene work that copies the page's link. */
export function copyLinks(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-action=copy]')) {
    const link = found<HTMLInputElement>('input', button.parentElement ?? document)
    link.value = location.href
    button.addEventListener('click', async () => {
      // Old windows of other apps have no clipboard: the link is selected, so that its user can copy it.
      link.select()
      const isCopied = await navigator.clipboard?.writeText(link.value).then(() => true, () => false)
      if (isCopied || document.execCommand('copy')) say(button, sentence('copied'))
    })
  }
}
