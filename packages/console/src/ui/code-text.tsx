/** A text of the service, with its names in backticks as code. */
export const CodeText = ({ text }: { text: string }) =>
  text.split('`').map((part, nth) => (nth % 2 === 0 ? part : <code key={part}>{part}</code>));
