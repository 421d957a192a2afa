//! The interface of `wit/provider-0.1.0`, as Rust.

wasmtime::component::bindgen!({
    path: "../../wit/provider-0.1.0",
    world: "provider",
    imports: {
        "berth:provider/http.send": async | trappable,
        default: trappable,
    },
    exports: { default: async },
    require_store_data_send: true,
});
