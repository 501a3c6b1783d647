import 'reflect-metadata'

import { Controller, Get, HttpCode, Module, Post, Req, Res, Body, type RawBodyRequest } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { webhookHandler } from '@countersign/server/handlers'

import { client, numbers, options, start } from '../shop.ts'

@Controller()
class Shop {
  @Post('start')
  @HttpCode(200)
  start(@Body() body: { url: string, secret: string }) {
    return start(body)
  }

  @Post('webhook')
  async webhook(@Req() { method, headers, rawBody }: RawBodyRequest<IncomingMessage>, @Res() response: ServerResponse) {
    const answer = await webhookHandler(client(), options)({ method, headers, body: rawBody ?? '' })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }

  @Get('numbers')
  numbers() {
    return numbers
  }
}

@Module({ controllers: [Shop] })
class App {}

const app = await NestFactory.create(App, { rawBody: true, logger: ['error'] })
await app.listen(0, '127.0.0.1')
console.log(JSON.stringify({ port: app.getHttpServer().address().port }))
