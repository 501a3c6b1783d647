declare module '*.css' {
  /** The style sheet as text, minified by the build. */
  const text: string
  export default text
}
