import { heightOf, topOf, type Bar, type Plot, type Range } from '../formats/history.ts'
import { count } from '../formats/numbers.ts'
import { inZone } from '../formats/time.ts'
import { texts } from '../i18n/index.ts'

const WIDTH = 720
const HEIGHT = 220
const LEFT = 44
const BOTTOM = 24
const TOP = 8

type Props = { plot: Plot, range: Range, what: string, names: string[] }

/** Returns the time of a bar as its axis and its table show it. */
export function timeOf(bar: Bar, range: Range): string {
  return range === '90d' ? inZone(bar.at, 'day') : inZone(bar.at, 'short').replace(/:\d\d$/, '')
}

/** Returns which bars have a label below: about six. */
export function labelled(bars: Bar[], range: Range): number[] {
  if (range === '7d') {
    // At the first hour of each day of the zone.
    const days = bars.map(({ at }) => inZone(at, 'axisDay'))
    return days.flatMap((day, index) => (index > 0 && day !== days[index - 1] ? [index] : []))
  }
  const step = Math.ceil(bars.length / 6)
  return bars.flatMap((_, index) => (index % step === 0 ? [index] : []))
}

function Axis({ top, y }: { top: number, y: (value: number) => number }) {
  return (
    <g class="axis">
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 6} y={y(value)} dy="0.32em" text-anchor="end">{count(value)}</text>
        </g>
      ))}
    </g>
  )
}

/**
 * Stacked bars as SVG. Its sentence says the sum, the highest bar and the latest one; a table beside it has every number. The
 * series stand in the order of the legend, with a gap between them, for people who do not see the colours.
 */
export function BarPlot({ plot, range, what, names }: Props) {
  const t = texts().overview
  const highest = Math.max(0, ...plot.bars.map(heightOf))
  const top = topOf(highest)
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)
  const step = (WIDTH - LEFT) / Math.max(1, plot.bars.length)
  const width = Math.max(1, step * 0.8)
  const peak = plot.bars.find((bar) => heightOf(bar) === highest)
  const latest = plot.bars.at(-1)
  const sentence = t.plot(
    what, count(plot.total), count(highest), peak ? timeOf(peak, range) : '', latest ? count(heightOf(latest)) : '0',
  )
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={sentence}>
      <Axis top={top} y={y} />
      {plot.bars.map((bar, index) => {
        let below = 0
        return (
          <g key={bar.at}>
            <title>{`${timeOf(bar, range)}: ${count(heightOf(bar))}`}</title>
            <rect class="reach" x={LEFT + index * step} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} />
            {bar.values.map((value, series) => {
              if (value === 0) return null
              const from = below
              below += value
              return (
                <rect
                  key={names[series]} class={`series-${series}`} x={LEFT + index * step + (step - width) / 2} y={y(below)}
                  width={width} height={y(from) - y(below)}
                />
              )
            })}
          </g>
        )
      })}
      <g class="axis">
        {labelled(plot.bars, range).map((index) => {
          const bar = plot.bars[index]
          return bar && (
            <text key={bar.at} x={LEFT + index * step} y={HEIGHT - 6}>{inZone(bar.at, range === '24h' ? 'axisHour' : 'axisDay')}</text>
          )
        })}
      </g>
    </svg>
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
