import type { ComponentChildren } from 'preact'

export type Column<T> = {
  name: string
  cell: (row: T) => ComponentChildren
  /** Wide text may break into lines; numbers stand at the end. */
  kind?: 'wide' | 'number' | 'main'
}

type Props<T> = {
  caption: string
  columns: Column<T>[]
  rows: T[]
  keyOf: (row: T) => string
  /** On a narrow screen, cells that say themselves what they are stand in one line. */
  isCompact?: boolean
}

/**
 * A table, whose rows become cards on a narrow screen. The roles are written out, because browsers drop them where CSS changes
 * how a table is displayed.
 */
export function Table<T>({ caption, columns, rows, keyOf, isCompact = false }: Props<T>) {
  return (
    <table role="table" class={isCompact ? 'rows compact' : 'rows'}>
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, kind }) => <th key={name} role="columnheader" scope="col" class={kind}>{name}</th>)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ name, cell, kind }) => (
              <td key={name} role="cell" class={kind}>
                <span class="cell-name" aria-hidden="true">{name}</span>
                <span class="cell-value">{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
