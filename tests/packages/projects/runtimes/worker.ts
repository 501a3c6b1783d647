import { answer } from './web.ts'

export default { fetch: answer }
