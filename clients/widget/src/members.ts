/** Definitions of the members of an element's class. */
export interface Owner extends HTMLElement {
  /** Tells the developer that a member was assigned that cannot be set. */
  ignored(name: string): void
}

/** Makes a property for each attribute, as frameworks set them: `appKey` for `app-key`. */
export function reflectAttributes(prototype: HTMLElement, attributes: readonly string[]): void {
  for (const attribute of attributes) {
    const name = attribute.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    if (name in prototype) continue
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement) {
        return this.getAttribute(attribute)
      },
      set(this: HTMLElement, value: unknown) {
        if (value === null || value === undefined || value === false) this.removeAttribute(attribute)
        else this.setAttribute(attribute, value === true ? '' : String(value))
      },
    })
  }
}

/**
 * Makes the members of a class that cannot be set ignore it. Frameworks assign any property that an element has, and that
 * would throw, or put something else in place of a method.
 */
export function keepMembers(prototype: Owner): void {
  for (const [name, { get, set, value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (set || name === 'constructor') continue
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: get ?? (() => value as unknown),
      set(this: Owner) {
        this.ignored(name)
      },
    })
  }
}

/** Hands over the properties that a page set while the element was not defined yet. */
export function takeEarly(element: HTMLElement): void {
  for (const name of Object.getOwnPropertyNames(element)) {
    const value: unknown = Reflect.get(element, name)
    for (let proto = Reflect.getPrototypeOf(element); proto && proto !== HTMLElement.prototype; proto = Reflect.getPrototypeOf(proto)) {
      if (!Object.hasOwn(proto, name)) continue
      Reflect.deleteProperty(element, name)
      Reflect.set(element, name, value)
      break
    }
  }
}
