'use client'

// The server also renders this page.
import '@countersign/widget'
import { createElement } from 'react'

export default function Page() {
  return createElement('countersign-login', { 'app-key': 'cs_app_x' })
}
