/** Loads a component with its code when it is shown for the first time. */
import { RefreshCw, TriangleAlert } from 'lucide-preact'
import type { ComponentChild, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ConnectionError } from '../../client/index.ts'
import type { Part } from '../texts/parts.ts'
import { loadTexts, useTexts } from '../texts/texts.ts'
import { Problem } from './problem.tsx'

/** @param Waiting shown until the code has arrived. Default: nothing */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting?: () => ComponentChild,
): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  return function Lazy(props: P) {
    const [Component, setComponent] = useState<ComponentType<P> | null>(() => loaded)
    const [failure, setFailure] = useState<ConnectionError | 'gone' | null>(null)
    const read = (): void => {
      setFailure(null)
      load().then(
        (component) => {
          loaded = component
          setComponent(() => component)
        },
        async (cause: unknown) =>
          setFailure((await isReachable()) ? 'gone' : new ConnectionError(location.origin, cause)),
      )
    }
    useEffect(() => {
      if (loaded === null) read()
    }, [])
    if (failure === 'gone') return <Gone />
    if (failure !== null) return <Problem error={failure} onRetry={read} />
    if (Component) return <Component {...props} />
    return Waiting ? <Waiting /> : null
  }
}

/** Returns a component whose code and texts load when it is shown for the first time. */
export function lazyPart<P extends object>(
  part: Part,
  load: () => Promise<ComponentType<P>>,
  Waiting?: () => ComponentChild,
): ComponentType<P> {
  const loadBoth = async (): Promise<ComponentType<P>> => {
    const [component] = await Promise.all([load(), loadTexts(part)])
    return component
  }
  return lazy(loadBoth, Waiting)
}

/** Returns whether the server answers. */
function isReachable(): Promise<boolean> {
  return fetch('/livez', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}

/** Says that the server no longer has the code, as after an upgrade, and loads the page again at the same place. */
function Gone() {
  const t = useTexts('common')
  return (
    <div class="notice wait" role="alert">
      <TriangleAlert size={18} aria-hidden="true" />
      <span>{t.outdated}</span>
      <button type="button" class="small" onClick={() => location.reload()}>
        <RefreshCw size={14} aria-hidden="true" /> {t.reload}
      </button>
    </div>
  )
}
