import { Badge } from '../components/badge.tsx'
import { texts } from '../i18n/index.ts'
import { toneOfDelivery } from './tones.ts'

/** The state of a webhook, with the number of attempts. */
export function Delivery({ delivery, attempts }: { delivery?: string | null, attempts?: number | null }) {
  const t = texts().confirmations
  if (!delivery) return <span class="soft">–</span>
  return (
    <>
      <Badge tone={toneOfDelivery(delivery)}>{t.deliveries[delivery] ?? delivery}</Badge>
      {attempts ? <span class="soft nowrap"> {t.attempts(attempts)}</span> : null}
    </>
  )
}
