declare module '*.css' {
  /** The style sheet as text, made small by the build. */
  const text: string
  export default text
}
