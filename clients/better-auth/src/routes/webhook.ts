import { createAuthEndpoint } from '@better-auth/core/api'
import { getCurrentAuthEndpointContext } from '@better-auth/core/context'
import { RecordMissingError } from '@countersign/server'
import { webhook } from '@countersign/server/next'

import { WEBHOOK_PATH } from '../confirmations.js'
import { findStarted, updateStarted } from '../records.js'
import type { Service } from '../service.js'

/**
 * POST `/countersign/webhook`: receives the service's webhooks. It records the number of a text and creates no session:
 * the browser that started the confirmation has to finish it.
 */
export const receiveWebhook = ({ countersign }: Service) => {
  const receive = webhook(countersign, {
    async onVerified({ confirmationId, phoneNumber }) {
      const ctx = getCurrentAuthEndpointContext()
      const started = await findStarted(ctx, confirmationId)
      if (!started || started.purpose === 'login') throw new RecordMissingError(confirmationId)
      if (started.purpose === 'number' && started.expected !== phoneNumber) {
        throw new Error('a webhook names another number than its confirmation')
      }
      if (started.phoneNumber === undefined) await updateStarted(ctx, confirmationId, { ...started, phoneNumber })
    },
    log(message, error) {
      getCurrentAuthEndpointContext().context.logger.warn(`Countersign webhook: ${message}`, ...(error === undefined ? [] : [error]))
    },
  })
  return createAuthEndpoint(WEBHOOK_PATH, {
    method: 'POST',
    // The signature is over the raw bytes, which the handler reads.
    disableBody: true,
    requireRequest: true,
    metadata: { scope: 'server' },
  }, async (ctx) => receive(ctx.request))
}
