import { language } from '../i18n/index.ts'

export function count(value: number): string {
  return new Intl.NumberFormat(language.value).format(value)
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: 1 }).format(part / whole)
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10))
  return `${new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 }).format(value / 1024 ** power)} ${UNITS[power]}`
}
