import { texts } from '../i18n/index.ts'
import { Button } from './button.tsx'
import { CopyLine } from './copy.tsx'

/** A secret that was just made. It leaves the page when the operator closes it. */
export function Once({ title, what, secret, onClose }: { title: string, what: string, secret: string, onClose: () => void }) {
  return (
    <div class="note good once" role="status">
      <strong>{title}</strong>
      <p>{what}</p>
      <CopyLine text={secret} what={title} />
      <div class="actions"><Button onClick={onClose}>{texts().common.close}</Button></div>
    </div>
  )
}
