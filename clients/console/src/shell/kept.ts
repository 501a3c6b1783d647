// What the browser keeps for this page. Reading and writing fail where people forbid it; the page then forgets.

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Only this page load knows it.
  }
}

export function keptNames(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}
