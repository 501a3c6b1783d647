import { answer } from '../../web.ts'

export const POST = answer
export const GET = answer
export const dynamic = 'force-dynamic'
