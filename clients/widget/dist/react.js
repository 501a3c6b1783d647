"use client";

// src/react.ts
import {
  createElement,
  forwardRef,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef
} from "react";
var CountersignLogin = /* @__PURE__ */ component(
  "countersign-login",
  ["scanned", "confirmed", "denied", "blocked", "expired", "cancelled", "renew", "error"]
);
var CountersignPhone = /* @__PURE__ */ component(
  "countersign-phone",
  ["started", "missed", "verified", "expired", "cancelled", "renew", "error"]
);
var CountersignSetup = /* @__PURE__ */ component(
  "countersign-setup",
  ["opened", "completed", "failed", "renew", "error"],
  () => import("./widget/setup.js")
);
var PROPERTIES = ["texts", "startOptions", "session", "registration"];
var useMounted = typeof document === "undefined" ? useEffect : useLayoutEffect;
function component(tag, events, load = () => import("./widget.js")) {
  const handlerOf = (name) => `on${name[0]?.toUpperCase()}${name.slice(1)}`;
  const handlers = events.map(handlerOf);
  const Component = forwardRef((props, ref) => {
    const values = props;
    const element = useRef(null);
    const latest = useRef(values);
    const hold = useCallback((made) => {
      element.current = made;
      if (typeof ref === "function") return ref(made);
      if (ref) ref.current = made;
      return void 0;
    }, [ref]);
    useMounted(() => {
      latest.current = values;
    });
    const heard = events.filter((name) => typeof values[handlerOf(name)] === "function").join();
    useMounted(() => {
      const { current } = element;
      const stop = new AbortController();
      let last;
      const hear = (event) => {
        if (event.target !== current || event === last) return;
        last = event;
        const handler = latest.current[handlerOf(event.type)];
        handler?.(event);
      };
      const listen = () => {
        if (stop.signal.aborted) return;
        for (const name of heard.split(",")) current?.addEventListener(name, hear, { signal: stop.signal });
      };
      listen();
      void load().then(listen);
      return () => stop.abort();
    }, [heard]);
    const calls = typeof values["start"] === "function";
    useMounted(() => {
      if (!calls) return void 0;
      const { current } = element;
      set(current, "start", (body) => latest.current["start"](body));
      return () => set(current, "start", current?.getAttribute("start") ?? null);
    }, [calls]);
    for (const name of PROPERTIES) {
      const content = JSON.stringify(values[name]);
      useMounted(() => {
        if (content === void 0) return void 0;
        const { current } = element;
        set(current, name, latest.current[name]);
        return () => set(current, name, name === "texts" ? {} : null);
      }, [content]);
    }
    return createElement(tag, { ...attributesOf(values, handlers), ref: hold });
  });
  Component.displayName = tag.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());
  return Component;
}
function set(element, name, value) {
  if (element) Reflect.set(element, name, value);
}
var NAMES = {
  allowUnencrypted: "allow-unencrypted",
  appKey: "app-key",
  appName: "app-name",
  className: "class",
  scanWith: "scan-with"
};
function attributesOf(values, handlers) {
  const found = {};
  for (const [name, value] of Object.entries(values)) {
    if (handlers.includes(name) || PROPERTIES.includes(name)) continue;
    if (name === "start" && typeof value === "function") continue;
    const isText = /^(aria|data)-|^(children|contentEditable|draggable|spellCheck|dangerouslySetInnerHTML|suppressHydrationWarning)$/.test(name);
    if (isText) found[name] = value;
    else if (value !== false && value !== null && value !== void 0) found[NAMES[name] ?? name] = value;
  }
  return found;
}
export {
  CountersignLogin,
  CountersignPhone,
  CountersignSetup
};
