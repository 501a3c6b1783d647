/** The login's texts. In texts that name the app, `{app}` stands for the attribute `app-name`. */
export interface Texts {
  /** While a code is being created. */
  opening: string
  /** Above the code. */
  scan: string
  /** Above the code, if the app has a name. */
  scanWith: string
  /** Describes the code to people who do not see it. */
  code: string
  /** Replaces the code with a fresh one. */
  renew: string
  /** Opens the link on the device that shows the code. */
  openHere: string
  /** Above the link, on a phone. */
  onThisPhone: string
  /** Above the link, on a phone, if the app has a name. */
  onThisPhoneWith: string
  /** The link, on a phone. */
  openApp: string
  /** The link, on a phone, if the app has a name. */
  openNamedApp: string
  /** Shows the code instead of the link, on a phone. */
  showCode: string
  /** Shows the link again, on a phone. */
  hideCode: string
  scanned: string
  /** On a phone, after its own button opened the app. */
  scannedHere: string
  /** Above the field for the check code. */
  checkCode: string
  /** Above the field for the check code, if the app is on the same phone. */
  checkCodeHere: string
  /** Sends the check code. */
  checkCodeSend: string
  /** After the first wrong check code. */
  checkCodeWrong: string
  /** After the second, when a third ends the login. */
  checkCodeLast: string
  /** While the payload is fetched, and while the page decides about it. */
  finishing: string
  /** The app returned to the page in another tab, which goes on. */
  elsewhere: string
  confirmed: string
  denied: string
  /** A second phone opened the code, or the risk was too high. The service does not tell which. */
  blocked: string
  /** Too many wrong check codes. */
  wrongCodes: string
  /** The code was not scanned in time. */
  expired: string
  /** The app was not opened in time, on a phone. */
  expiredHere: string
  /** A phone opened the code, but the login was not finished in time. */
  late: string
  cancelled: string
  failed: string
  /** Starts again after an end. */
  again: string
  /** Starts again after a code has expired. */
  anew: string
  /** The browser is offline. */
  offline: string
  /** The service does not answer. */
  unreachable: string
  /** There is still no answer after several tries. */
  stuck: string
  /** The service asks to wait. */
  busy: string
  /** The first of three steps to the scanner. */
  stepOpen: string
  /** The same, if the app has a name. */
  stepOpenNamed: string
  stepScan: string
  stepPoint: string
  /** The time left, for which `{time}` stands: minutes and seconds. */
  left: string
  /** Describes the code of an approval. This and the next replace others if the page set `session`. */
  approveCode: string
  approveHere: string
  approveHereWith: string
  approvalDenied: string
  approvalBlocked: string
  approvalLate: string
  approvalCancelled: string
  approvalFailed: string
}

/** The texts of the element for phone numbers. */
export interface PhoneTexts {
  /** Above the field for the number to confirm. */
  ask: string
  /** Before the list of countries. */
  country: string
  /** Before the field, and later before the number. */
  yourNumber: string
  /** Sends the number. */
  next: string
  /** No country has this number. */
  numberWrong: string
  /** The number is of a kind that the app refuses. */
  numberRefused: string
  /** Goes back to the field. */
  change: string
  /** While the page's server starts a confirmation. */
  starting: string
  /** Above the code. */
  scan: string
  /** Describes the code to people who do not see it. */
  code: string
  /** Above the button, on a phone. */
  send: string
  /** The button that opens the text, on a phone. */
  open: string
  /** The link that opens the text, elsewhere. */
  openHere: string
  /** The link to WhatsApp. */
  whatsapp: string
  /** Shows the code instead of the button, on a phone. */
  showCode: string
  /** Shows the button again, on a phone. */
  hideCode: string
  /** Before the number that the text goes to. */
  number: string
  /** Before the text. */
  message: string
  copyNumber: string
  copyMessage: string
  copied: string
  /** That the text may cost something; `{country}` stands for the country of the number. */
  cost: string
  /** The same, if the country is not known. */
  costAnywhere: string
  /** In place of the costs, in a test. */
  test: string
  waiting: string
  /** The time left, for which `{time}` stands: minutes and seconds. */
  left: string
  /** A text came from another number than the one to confirm. */
  wrong_sender: string
  /** A text went to another number. */
  wrong_recipient: string
  /** A text came without the sender's number, as from people who hide it on WhatsApp. */
  number_hidden: string
  /** A text came from a number of a kind that the app refuses. */
  number_type_refused: string
  /** Time has run out, but the text may have arrived. */
  ending: string
  /** While the page decides. */
  finishing: string
  verified: string
  expired: string
  cancelled: string
  failed: string
  /** Starts again after an end. */
  again: string
  /** Starts again after time has run out. */
  anew: string
  /** The browser is offline. */
  offline: string
  /** The service or the page's server does not answer. */
  unreachable: string
  /** There is still no answer after several tries. */
  stuck: string
  /** The service or the page's server asks to wait. */
  busy: string
  /** Above the code, if the app has a name. */
  scanWith: string
  /** Above the button, on a phone, if the app has a name. */
  sendWith: string
}

/** The texts of both elements in one language. */
export interface Words {
  readonly login: Readonly<Texts>
  readonly phone: Readonly<PhoneTexts>
}
