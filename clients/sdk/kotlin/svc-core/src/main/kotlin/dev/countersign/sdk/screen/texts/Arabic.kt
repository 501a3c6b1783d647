package dev.countersign.sdk.screen.texts

import dev.countersign.sdk.screen.ScreenTexts

internal val ARABIC: ScreenTexts =
    ScreenTexts(
        language = "ar",
        isRightToLeft = true,
        site = "الموقع",
        app = "التطبيق",
        context = "ما توافق عليه",
        thisPhone = "هذا الهاتف",
        browserPlace = "مكان المتصفح",
        browser = "المتصفح",
        info = "معلومة",
        warning = "تحذير",
        danger = "خطر",
        refused = "لا يمكن تأكيد تسجيل الدخول هذا لأن الخطر مرتفع جدًا.",
        confirm = "تأكيد",
        deny = "رفض",
        readToEnd = "مرّر إلى النهاية للتأكيد.",
        wait = "يمكنك التأكيد بعد لحظة.",
        sending = "جارٍ إرسال إجابتك",
        checkCode = "اكتب هذا الرمز في المتصفح:",
        close = "إغلاق",
        pointCamera = "وجّه الكاميرا نحو الرمز على الشاشة.",
        noCamera = "لا يمكن استخدام الكاميرا.",
        scanTitle = "مسح الرمز",
        opening = "جارٍ فتح تسجيل الدخول",
        cameraNeeded = "الكاميرا مطلوبة لمسح الرمز.",
        cameraInSettings = "اسمح باستخدام الكاميرا في إعدادات هذا التطبيق لمسح الرمز.",
        allowCamera = "السماح بالكاميرا",
        openSettings = "فتح الإعدادات",
        tryAgain = "إعادة المحاولة",
        scanAgain = "مسح مرة أخرى",
    )
