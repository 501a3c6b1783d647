/** Parts of user agents of windows that apps open inside themselves, with stores of their own. They are only hints. */
const APPS = /; wv\)|\bFBA[NV]\/|\bFB_IAB\b|\bInstagram\b|\bLine\/|\bMicroMessenger\b|\bBytedanceWebview\b|\bmusical_ly\b|\bSnapchat\b|\bLinkedInApp\b/

/** Returns whether this page is probably in the window of another app, and not in the phone's browser. */
export function isInApp(userAgent: string): boolean {
  const isWebView = /iPhone|iPad|iPod/.test(userAgent) && /AppleWebKit/.test(userAgent) && !/Safari\//.test(userAgent)
  return isWebView || APPS.test(userAgent)
}
