'use client'

// The server renders this page, too.
import '@countersign/widget'
import { createElement } from 'react'

export default function Page() {
  return createElement('countersign-login', { 'app-key': 'cs_app_x' })
}
