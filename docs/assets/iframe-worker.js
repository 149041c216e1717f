// Search in pages that are opened from a disk. Browsers allow no worker there, so the script of the search runs in a hidden frame,
// behind the two methods that the theme calls. The theme looks for the name `IFrameWorker`.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.ready = new Promise((resolve, reject) => {
        frame.onload = () => {
          this.inside = frame.contentWindow
          this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}))
          const script = this.inside.document.createElement("script")
          script.onload = resolve
          script.onerror = () => reject(new Error(`cannot load ${url}`))
          script.src = new URL(url, document.baseURI)
          this.inside.document.head.append(script)
        }
      })
      document.body.append(frame)
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data})))
    }
  }
}
