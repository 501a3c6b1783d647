import type { ComponentChildren } from 'preact'

import { barAfter } from '../formats/bar-keys.ts'
import { heightOf, type Bar, type Range } from '../formats/history.ts'
import { count } from '../formats/numbers.ts'
import { texts } from '../i18n/index.ts'

type Props = {
  bars: Bar[]
  range: Range
  /** The bar that is read out. */
  index: number
  what: string
  names: string[]
  timeOf: (bar: Bar) => string
  onMove: (index: number) => void
  children: ComponentChildren
}

/** Returns a bar in words: its time, its sum, and the series in it. */
function wordsOf(bar: Bar, names: string[], time: string): string {
  const parts = names.length < 2 ? [] : names.flatMap((name, series) => {
    const value = bar.values[series] ?? 0
    return value === 0 ? [] : [`${name} ${count(value)}`]
  })
  const sum = `${time}: ${count(heightOf(bar))}`
  return parts.length === 0 ? sum : `${sum} (${parts.join(', ')})`
}

/**
 * A plot whose bars are read one by one. To the keyboard and to screen readers it is a slider over time, since every one of them
 * reads a slider's value at each step.
 */
export function PlotReader({ bars, range, index, what, names, timeOf, onMove, children }: Props) {
  const t = texts().overview
  const bar = bars[index]
  if (bar === undefined) return <>{children}</>
  const words = wordsOf(bar, names, timeOf(bar))
  const move = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const next = barAfter(event.key, index, bars.length, range)
    if (next === null) return
    event.preventDefault()
    onMove(next)
  }
  return (
    <div class="plot-reader">
      {children}
      <div
        class="plot-slider" role="slider" tabIndex={0} aria-label={range === '90d' ? t.byDay(what) : t.byHour(what)}
        aria-valuemin={0} aria-valuemax={bars.length - 1} aria-valuenow={index} aria-valuetext={words} onKeyDown={move}
      />
      <p class="plot-words" aria-hidden="true">{words} <span class="soft keys">{t.keys}</span></p>
    </div>
  )
}
