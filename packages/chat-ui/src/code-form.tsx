import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useLabels } from './labels.ts';
import { sentenceOf } from './sign-in-errors.ts';

const DIGITS = 6;
/** An address receives one mail per minute. */
const PAUSE_SECONDS = 60;

export interface CodeFormProps {
  /** What was sent, and to whom. */
  hint: string;
  action: string;
  onCode: (code: string) => Promise<void>;
  onResend: () => Promise<void>;
}

/** Asks for a mailed code. Six digits, typed or pasted with spaces, are sent at once. */
export function CodeForm({ hint, action, onCode, onResend }: CodeFormProps) {
  const labels = useLabels();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [seconds, restart] = usePause();
  useEffect(() => input.current?.focus(), []);

  const send = async (whole: string) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onCode(whole);
    } catch (error) {
      setProblem(sentenceOf(error, labels, labels.codeWrong));
      setCode('');
      input.current?.focus();
    }
    setBusy(false);
  };
  const type = (text: string) => {
    const digits = text.replaceAll(/\D/g, '').slice(0, DIGITS);
    setCode(digits);
    if (digits.length === DIGITS && !isBusy) void send(digits);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length === DIGITS && !isBusy) void send(code);
  };
  const resend = async () => {
    setProblem(undefined);
    try {
      await onResend();
      restart();
    } catch (error) {
      setProblem(sentenceOf(error, labels));
    }
  };
  return (
    <form className="atrium-sign-in" onSubmit={submit}>
      <p className="atrium-hint" role="status" id={`${id}-hint`}>
        {hint}
      </p>
      <label htmlFor={id}>{labels.code}</label>
      <input
        ref={input}
        id={id}
        className="atrium-code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={(event) => type(event.target.value)}
        readOnly={isBusy}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint${problem === undefined ? '' : ` ${id}-problem`}`}
        required
      />
      {problem !== undefined && (
        <p className="atrium-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="atrium-primary" disabled={isBusy || code.length < DIGITS}>
        {action}
      </button>
      <button type="button" className="atrium-secondary" disabled={seconds > 0} onClick={() => void resend()}>
        {seconds > 0 ? labels.resendIn(seconds) : labels.resend}
      </button>
    </form>
  );
}

/** Seconds until another mail can be requested. */
function usePause(): [seconds: number, restart: () => void] {
  const [until, setUntil] = useState(() => Date.now() + PAUSE_SECONDS * 1_000);
  const [now, setNow] = useState(Date.now);
  const seconds = Math.max(0, Math.ceil((until - now) / 1_000));
  const isOver = seconds === 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOver]);
  const restart = () => {
    setNow(Date.now());
    setUntil(Date.now() + PAUSE_SECONDS * 1_000);
  };
  return [seconds, restart];
}
