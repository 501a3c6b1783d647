/** The login's texts. In texts with the app's name, `{app}` is replaced with the `app-name` attribute. */
export interface Texts {
    /** While a code is being created. */
    opening: string;
    /** Above the code. */
    scan: string;
    /** Above the code, if the app has a name. */
    scanWith: string;
    /** Describes the code to users who cannot see it. */
    code: string;
    /** Replaces the code with a new one. */
    renew: string;
    /** Opens the link on the device that shows the code. */
    openHere: string;
    /** Above the link, on a phone. */
    onThisPhone: string;
    /** Above the link, on a phone, if the app has a name. */
    onThisPhoneWith: string;
    /** The link, on a phone. */
    openApp: string;
    /** The link, on a phone, if the app has a name. */
    openNamedApp: string;
    /** Shows the code instead of the link, on a phone. */
    showCode: string;
    /** Shows the link again, on a phone. */
    hideCode: string;
    scanned: string;
    /** On a phone, after the element's own button opened the app. */
    scannedHere: string;
    /** Above the field for the check code. */
    checkCode: string;
    /** Above the field for the check code, if the app is on the same phone. */
    checkCodeHere: string;
    /** Sends the check code. */
    checkCodeSend: string;
    /** After the first wrong check code. */
    checkCodeWrong: string;
    /** After the second, if a third one ends the login. */
    checkCodeLast: string;
    /** While the payload is fetched, and while the page decides about it. */
    finishing: string;
    /** The app returned to the page in another tab, which continues. */
    elsewhere: string;
    confirmed: string;
    denied: string;
    /** A second phone opened the code, or the risk was too high. The service does not say which. */
    blocked: string;
    /** Too many wrong check codes. */
    wrongCodes: string;
    /** The code was not scanned in time. */
    expired: string;
    /** The app was not opened in time, on a phone. */
    expiredHere: string;
    /** A phone opened the code, but the login was not finished in time. */
    late: string;
    cancelled: string;
    failed: string;
    /** Starts again after the login has ended. */
    again: string;
    /** Starts again after a code has expired. */
    anew: string;
    /** The browser is offline. */
    offline: string;
    /** The service does not answer. */
    unreachable: string;
    /** There is still no answer after several attempts. */
    stuck: string;
    /** The service asks the page to wait. */
    busy: string;
    /** The first of three steps to the scanner. */
    stepOpen: string;
    /** The first of three steps to the scanner, if the app has a name. */
    stepOpenNamed: string;
    stepScan: string;
    stepPoint: string;
    /** The time left: minutes and seconds replace `{time}`. */
    left: string;
    /**
     * Describes the code of an approval. This and the following texts replace others if the page set `session`.
     */
    approveCode: string;
    approveHere: string;
    approveHereWith: string;
    approvalDenied: string;
    approvalBlocked: string;
    approvalLate: string;
    approvalCancelled: string;
    approvalFailed: string;
    /**
     * The first of three steps with the camera. This and the following texts replace others if the attribute `scan-with` is
     * `camera`.
     */
    cameraStart: string;
    cameraPoint: string;
    cameraLink: string;
    /** Above the link, on a phone. */
    cameraHere: string;
    /** Above the link of an approval, on a phone. */
    cameraApprove: string;
    /** The link, on a phone. */
    cameraOpen: string;
    /** On a phone, after the element's own button opened the link. */
    cameraOpened: string;
    /** Above the field for the check code, if the link was opened on the same phone. */
    cameraCode: string;
    /** The login continues in another tab. */
    cameraElsewhere: string;
    /** The link was not opened in time, on a phone. */
    cameraExpired: string;
}
/** The texts of the element for phone numbers. */
export interface PhoneTexts {
    /** Above the field for the number to confirm. */
    ask: string;
    /** Before the list of countries. */
    country: string;
    /** Before the field, and later before the number. */
    yourNumber: string;
    /** Sends the number. */
    next: string;
    /** No country has this number. */
    numberWrong: string;
    /** The number is of a type that the app refuses. */
    numberRefused: string;
    /** Goes back to the field. */
    change: string;
    /** While the page's server starts a confirmation. */
    starting: string;
    /** Above the code. */
    scan: string;
    /** Describes the code to users who cannot see it. */
    code: string;
    /** Above the button, on a phone. */
    send: string;
    /** The button that opens the text, on a phone. */
    open: string;
    /** The link that opens the text, elsewhere. */
    openHere: string;
    /** The link to WhatsApp. */
    whatsapp: string;
    /** Shows the code instead of the button, on a phone. */
    showCode: string;
    /** Shows the button again, on a phone. */
    hideCode: string;
    /** Before the number that receives the text. */
    number: string;
    /** Before the text. */
    message: string;
    copyNumber: string;
    copyMessage: string;
    copied: string;
    /** Says that the text may cost something; the country of the number replaces `{country}`. */
    cost: string;
    /** Says that the text may cost something, if the country is unknown. */
    costAnywhere: string;
    /** Replaces the note about costs in a test. */
    test: string;
    waiting: string;
    /** The time left: minutes and seconds replace `{time}`. */
    left: string;
    /** A text came from a number other than the one to confirm. */
    wrong_sender: string;
    /** A text was sent to a different number. */
    wrong_recipient: string;
    /** A text came without the sender's number, for example from users who hide it on WhatsApp. */
    number_hidden: string;
    /** A text came from a number of a type that the app refuses. */
    number_type_refused: string;
    /** The time is up, but the text may have arrived. */
    ending: string;
    /** While the page decides. */
    finishing: string;
    verified: string;
    expired: string;
    cancelled: string;
    failed: string;
    /** Starts again after the confirmation has ended. */
    again: string;
    /** Starts again after the time is up. */
    anew: string;
    /** The browser is offline. */
    offline: string;
    /** The service or the page's server does not answer. */
    unreachable: string;
    /** There is still no answer after several attempts. */
    stuck: string;
    /** The service or the page's server asks the page to wait. */
    busy: string;
    /** Above the code, if the app has a name. */
    scanWith: string;
    /** Above the button, on a phone, if the app has a name. */
    sendWith: string;
}
/** The texts of the element that sets a phone up. */
export interface SetupTexts {
    /** Until the page sets a registration. */
    preparing: string;
    /** Above the code. */
    scan: string;
    /** Describes the code to users who cannot see it. */
    code: string;
    /** Above the link, on a phone. */
    onThisPhone: string;
    /** The link, on a phone. */
    openLink: string;
    /** The link, elsewhere. */
    openHere: string;
    /** Shows the code instead of the link, on a phone. */
    showCode: string;
    /** Shows the link again, on a phone. */
    hideCode: string;
    /** A phone has opened the link. */
    opened: string;
    /** The phone that opened the link; browser and system replace `{device}`. */
    device: string;
    /** Its place, if known, which replaces `{place}`. */
    place: string;
    /** Ends the registration, because the phone is not the user’s. */
    notMine: string;
    /** Above the field for the digits. */
    typing: string;
    /** Sends the digits. */
    send: string;
    /** After the first wrong digits. */
    digitsWrong: string;
    /** After the second wrong digits. */
    digitsLast: string;
    /** While the digits are checked. */
    finishing: string;
    completed: string;
    /** The digits were wrong three times. */
    wrongDigits: string;
    cancelled: string;
    expired: string;
    failed: string;
    /** Starts again. */
    again: string;
    /** The time left: minutes and seconds replace `{time}`. */
    left: string;
    /** The browser is offline. */
    offline: string;
    /** The service does not answer. */
    unreachable: string;
    /** There is still no answer after several attempts. */
    stuck: string;
    /** The service asks the page to wait. */
    busy: string;
}
/** The texts of the elements in one language. */
export interface Words {
    readonly login: Readonly<Texts>;
    readonly phone: Readonly<PhoneTexts>;
    readonly setup: Readonly<SetupTexts>;
}
