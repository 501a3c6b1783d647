// The program for runtimes with web-standard requests and responses.

import { webhook } from '@countersign/server/next'

import { client, numbers, options, start } from './shop.ts'

export async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/start') return Response.json(await start(await request.json()))
  if (pathname === '/webhook') return webhook(client(), options)(request)
  return Response.json(numbers)
}
