//! A network as data, for programs in other languages.

use serde_json::{Value, json};

use super::{Act, Network, Op, Shape};

impl Network {
    /// The layers in the order they are computed. Each names the layers it takes
    /// its input `from` (the first takes the planes, with `border` noughts around
    /// the board), the tensors it needs, and for a convolution the noughts to `pad`
    /// its input with. The `policy` is a layer, too.
    #[must_use]
    pub fn outline(&self) -> Value {
        let name = |tensor: usize| self.tensors[tensor].name.as_str();
        let layer = |index: usize| {
            let margin = |node: usize| match self.nodes[node].shape {
                Shape::Grid { margin, .. } => Some(margin),
                Shape::Flat(_) => None,
            };
            match self.nodes[index].op {
                Op::Lookup { weight, bias } => json!({
                    "op": "conv", "weight": name(weight), "bias": bias.map(name), "pad": 1
                }),
                Op::Conv { from, size, weight, bias } => {
                    let pad = u8::from(size == 3 && margin(from) == margin(index));
                    let (weight, bias) = (name(weight), bias.map(name));
                    json!({"op": "conv", "from": from, "weight": weight, "bias": bias, "pad": pad})
                }
                Op::Norm { from, gain } => json!({
                    "op": "norm", "from": from, "weight": name(gain), "bias": name(gain + 1),
                    "mean": name(gain + 2), "variance": name(gain + 3)
                }),
                Op::Act { from, act: Act::Relu } => json!({"op": "relu", "from": from}),
                Op::Act { from, act: Act::Elu } => json!({"op": "elu", "from": from}),
                Op::Add { from, other } => json!({"op": "add", "from": from, "other": other}),
                Op::Mean { from } => json!({"op": "mean", "from": from}),
                Op::Dense { from, weight, bias } => json!({
                    "op": "dense", "from": from, "weight": name(weight), "bias": name(bias)
                }),
            }
        };
        json!({
            "planes": self.input.planes,
            "width": self.input.width,
            "height": self.input.height,
            "border": (self.frame.size(0).0 - self.input.width) / 2,
            "layers": (0..self.nodes.len()).map(layer).collect::<Vec<_>>(),
            "policy": self.outputs.policy,
            "value": self.outputs.value,
            "clear": self.outputs.clear,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Input;

    fn outline(config: &str) -> Value {
        let input = Input { width: 5, height: 4, planes: 6, marks: 1 };
        Network::new(config.parse().unwrap(), input).unwrap().outline()
    }

    #[test]
    fn layers_say_what_they_need() {
        let residual = outline("residual(blocks=1,filters=8)+policy");
        assert_eq!(residual["border"], 0);
        let layers = residual["layers"].as_array().unwrap();
        assert_eq!(
            layers[0],
            json!({"op": "conv", "weight": "stem.weight", "bias": null, "pad": 1})
        );
        assert_eq!(layers[1]["variance"], "stem.norm.running_var");
        assert_eq!(layers[8], json!({"op": "add", "from": 7, "other": 2}));
        assert_eq!(residual["policy"], layers.len() - 1);
        let last = json!({
            "op": "conv", "from": 9, "weight": "policy.weight", "bias": "policy.bias", "pad": 0
        });
        assert_eq!(layers[10], last);
    }

    #[test]
    fn the_papers_convolutions_lose_their_border_where_it_says() {
        let paper = outline("paper+policy");
        assert_eq!(paper["border"], 1);
        let layers = paper["layers"].as_array().unwrap();
        let pads: Vec<u64> = layers.iter().filter_map(|layer| layer.get("pad")?.as_u64()).collect();
        assert_eq!(pads, [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0]);
        assert_eq!(layers.last().unwrap()["op"], "dense");
    }
}
