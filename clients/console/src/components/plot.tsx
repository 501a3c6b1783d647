import { useState } from 'preact/hooks'

import { heightOf, topOf, type Bar, type Plot, type Range } from '../formats/history.ts'
import { count } from '../formats/numbers.ts'
import { inZone } from '../formats/time.ts'
import { texts } from '../i18n/index.ts'
import { useNarrow } from '../shell/use-narrow.ts'
import { PlotReader } from './plot-reader.tsx'

/** The size in units of the drawing. A narrow screen gets a smaller drawing, so that its letters are as large. */
type Size = { width: number, height: number, left: number }
const WIDE: Size = { width: 720, height: 220, left: 44 }
const NARROW: Size = { width: 260, height: 180, left: 36 }
const BOTTOM = 24
const TOP = 8
/** The width of a label below a bar. */
const LABEL = 42

type Props = { plot: Plot, range: Range, what: string, names: string[] }

/** Returns the time of a bar as its axis and its table show it. */
export function timeOf(bar: Bar, range: Range): string {
  return range === '90d' ? inZone(bar.at, 'day') : inZone(bar.at, 'short').replace(/:\d\d$/, '')
}

/** Returns which bars have a label below, about as many as there is room for. */
export function labelled(bars: Bar[], range: Range, most: number): number[] {
  if (range === '7d') {
    // At the first hour of days of the zone.
    const days = bars.map(({ at }) => inZone(at, 'axisDay'))
    const firsts = days.flatMap((day, index) => (index > 0 && day !== days[index - 1] ? [index] : []))
    return firsts.filter((_, index) => index % Math.ceil(firsts.length / (most + 1)) === 0)
  }
  const step = Math.ceil(bars.length / most)
  return bars.flatMap((_, index) => (index % step === 0 ? [index] : []))
}

function Axis({ size, top, y }: { size: Size, top: number, y: (value: number) => number }) {
  return (
    <g class="axis">
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line x1={size.left} x2={size.width} y1={y(value)} y2={y(value)} />
          <text x={size.left - 6} y={y(value)} dy="0.32em" text-anchor="end">{count(value)}</text>
        </g>
      ))}
    </g>
  )
}

/**
 * Stacked bars as SVG. Its sentence says the sum, the highest bar and the latest one; a table beside it has every number, and the
 * bar under the pointer, or that the keys lead to, stands below in words. The series stand in the order of the legend, with a gap
 * between them, for people who do not see the colours.
 */
export function BarPlot({ plot, range, what, names }: Props) {
  const t = texts().overview
  const isNarrow = useNarrow()
  // By its time, since bars move on while the page is open.
  const [readAt, setReadAt] = useState<number>()
  const found = plot.bars.findIndex(({ at }) => at === readAt)
  const read = found === -1 ? plot.bars.length - 1 : found
  const size = isNarrow ? NARROW : WIDE
  const highest = Math.max(0, ...plot.bars.map(heightOf))
  const top = topOf(highest)
  const y = (value: number): number => TOP + (size.height - TOP - BOTTOM) * (1 - value / top)
  const step = (size.width - size.left) / Math.max(1, plot.bars.length)
  const width = Math.max(1, step * 0.8)
  const peak = plot.bars.find((bar) => heightOf(bar) === highest)
  const latest = plot.bars.at(-1)
  const sentence = t.plot(
    what, count(plot.total), count(highest), peak ? timeOf(peak, range) : '', latest ? count(heightOf(latest)) : '0',
  )
  return (
    <PlotReader
      bars={plot.bars} range={range} index={read} what={what} names={names} timeOf={(bar) => timeOf(bar, range)}
      onMove={(index) => setReadAt(plot.bars[index]?.at)}
    >
      <svg class={width < 4 ? 'plot thin' : 'plot'} viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={sentence}>
        <Axis size={size} top={top} y={y} />
        {plot.bars.map((bar, index) => {
          let below = 0
          return (
            <g key={bar.at} class={index === read ? 'read' : undefined} onPointerEnter={() => setReadAt(bar.at)}>
              <rect class="reach" x={size.left + index * step} y={TOP} width={step} height={size.height - TOP - BOTTOM} />
              {bar.values.map((value, series) => {
                if (value === 0) return null
                const from = below
                below += value
                return (
                  <rect
                    key={names[series]} class={`series-${series}`} x={size.left + index * step + (step - width) / 2} y={y(below)}
                    width={width} height={y(from) - y(below)}
                  />
                )
              })}
            </g>
          )
        })}
        <g class="axis">
          {labelled(plot.bars, range, isNarrow ? 3 : 6).map((index) => {
            const bar = plot.bars[index]
            const x = size.left + index * step
            // One at the end would be cut off, or cover the one before.
            return bar && x < size.width - LABEL && (
              <text key={bar.at} x={x} y={size.height - 6}>{inZone(bar.at, range === '24h' ? 'axisHour' : 'axisDay')}</text>
            )
          })}
        </g>
      </svg>
    </PlotReader>
  )
}

export function Legend({ names, sums }: { names: string[], sums: number[] }) {
  if (names.length < 2) return null
  return (
    <ul class="legend">
      {names.map((name, index) => (
        <li key={name}>
          <svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class={`series-${index}`} width="12" height="12" /></svg>
          {name} <span class="soft">{count(sums[index] ?? 0)}</span>
        </li>
      ))}
    </ul>
  )
}
